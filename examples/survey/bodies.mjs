// Writes a CSV of request bodies, made by the code of the survey's page:
//   node bodies.mjs PAGE COUNT
// COUNT bodies for the first answer, and as many for the last.
import { readFileSync } from 'node:fs';
import { webcrypto } from 'node:crypto';
import { argv, stdout } from 'node:process';

globalThis.crypto ??= webcrypto;
const [, , page, count] = argv;
const script = readFileSync(page, 'utf-8').split('<script type="module">')[1].split('</script>')[0];
const { requestBody, inputs } = new Function(`${script}\nreturn { requestBody, inputs };`)();
const rows = ['value,body'];
for (let i = 0; i < Number(count); i++) {
  for (const value of [0, inputs - 1]) {
    rows.push(`${value},"${requestBody(value).replaceAll('"', '""')}"`);
  }
}
stdout.write(`${rows.join('\n')}\n`);
