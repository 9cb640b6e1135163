set -e
mkdir -p "$1"
ldp-verified deploy grr --epsilon 1 --k 4 -o "$1/browser.json"
ldp-verified deploy piecewise --epsilon 2 --set 'bounds=[0,60]' -o "$1/minutes.json"
ldp-verified deploy loloha --k 3 --set epsilon_permanent=2 --set epsilon_report=1 \
    --set 'categories=["de","en","fr"]' -o "$1/language.json"
