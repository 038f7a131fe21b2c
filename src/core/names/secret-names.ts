// Names that mark a value as secret. One table for filtering the environment and for redacting text.

const PARTS = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATE|SIGNING|ENCRYPTION|CONNECTION_?STRING|WEBHOOK/;
const WORDS =
  /(?:^|_)(?:[A-Z0-9]*KEYS?|PASS|AUTH|COOKIE|JWT|PAT|DSN|PIN|SALT|SEED|MNEMONIC|OTP|BEARER|SESSION)(?:_|$)|._PWD$/;

/** Of a variable, in any case. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return PARTS.test(upper) || WORDS.test(upper);
}

/** Always a secret; other names that `isSecretName` matches may also be sort keys. */
const SURE = /API[_-]?KEY|(?:ACCESS|AUTH|ACCOUNT|MASTER|SHARED|CLIENT)[_-]?KEY|(?:^|_)PASS$|(?:^|_)PWD$/;
/** Words that appear next to a secret name, or that count tokens. */
const BESIDE = /TOKENI[SZ]|(?:^|_)PRIVATE$/;

export function isSurelySecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return (PARTS.test(upper) && !BESIDE.test(upper)) || SURE.test(upper);
}
