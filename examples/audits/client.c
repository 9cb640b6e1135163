/* Symmetric unary encoding of 8 values, one value per line in, 8 bits per line out.

   The claim is eps = 1. Built with -DLEAKY each bit is kept with odds e^eps, the well-known mistake:
   two bits differ between two values, so that the real eps is 2. Mended, the odds are e^(eps/2). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#ifdef LEAKY
#define EPSILON 2.0
#else
#define EPSILON 1.0
#endif

static double uniform(FILE *source) {
    uint64_t word;
    if (fread(&word, sizeof word, 1, source) != 1) return -1;
    return (double)(word >> 11) * 0x1p-53;
}

int main(void) {
    FILE *source = fopen("/dev/urandom", "rb");
    double keep = exp(EPSILON / 2) / (exp(EPSILON / 2) + 1);
    int value;
    if (!source) return 1;
    while (scanf("%d", &value) == 1) {
        for (int i = 0; i < 8; i++) {
            int bit = i == value;
            printf("%s%d", i ? "," : "[", uniform(source) < keep ? bit : !bit);
        }
        printf("]\n");
        fflush(stdout);
    }
    return 0;
}
