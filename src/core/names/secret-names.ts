// Names that say: what I hold is a secret. One table for whoever withholds variables and whoever takes secrets out of text.

const PARTS = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATE|SIGNING|ENCRYPTION|CONNECTION_?STRING|WEBHOOK/;
const WORDS =
  /(?:^|_)(?:[A-Z0-9]*KEYS?|PASS|AUTH|COOKIE|JWT|PAT|DSN|PIN|SALT|SEED|MNEMONIC|OTP|BEARER|SESSION)(?:_|$)|._PWD$/;

/** Of a variable, in any case. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return PARTS.test(upper) || WORDS.test(upper);
}

/** Nothing but a secret is called so; others that `isSecretName` knows may also be a key to sort by. */
const SURE = /API[_-]?KEY|(?:ACCESS|AUTH|ACCOUNT|MASTER|SHARED|CLIENT)[_-]?KEY|(?:^|_)PASS$|(?:^|_)PWD$/;
/** What stands beside a secret, or counts words. */
const BESIDE = /TOKENI[SZ]|(?:^|_)PRIVATE$/;

export function isSurelySecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return (PARTS.test(upper) && !BESIDE.test(upper)) || SURE.test(upper);
}
