// Checksums, encryption, keys and password stores: rows of data, one per command.
// Engines, providers and plugins are code that gets loaded; anything a subcommand does not list is unknown.

import type { CommandFamily, CommandSpec, OptionForm } from './spec.ts';

const DIGESTS =
  '-md4 -md5 -md5-sha1 -mdc2 -ripemd -ripemd160 -rmd160 -sha1 -sha224 -sha256 -sha384 -sha512 -sha512-224 -sha512-256 -sha3-224 -sha3-256 -sha3-384 -sha3-512 -shake128 -shake256 -blake2b512 -blake2s256 -sm3 -whirlpool';
const CIPHERS =
  '-aes-128-cbc -aes-128-ctr -aes-128-ecb -aes-192-cbc -aes-256-cbc -aes-256-ctr -aes-256-ecb -aes128 -aes192 -aes256 -camellia256 -chacha20 -des -des3 -des-ede3-cbc -rc4 -none';

const LOADING: Readonly<Record<string, OptionForm>> = {
  '-engine': 'library',
  '-provider -provider-path': 'library',
  '-config': 'hook',
  '-rand': 'read',
  '-writerand': 'write',
  '-out': 'write',
};

interface OpensslRow {
  readonly flags?: string;
  readonly values?: string;
  readonly options?: Readonly<Record<string, OptionForm>>;
  readonly operands?: string;
}

function openssl(
  summary: string,
  row: OpensslRow,
  readOnly: readonly string[],
  notReadOnly: readonly string[],
): CommandSpec {
  return {
    summary,
    class: 'read',
    style: 'words',
    flags: `-help ${row.flags ?? ''}`,
    values: `-propquery ${row.values ?? ''}`,
    options: { ...LOADING, ...row.options },
    operands: row.operands ?? 'unknown*',
    examples: { readOnly, notReadOnly },
  };
}

const KEY_FILES: Readonly<Record<string, OptionForm>> = { '-in -inkey -key -certfile -CAfile -kfile': 'remote-read' };
const VERIFY_FLAGS =
  '-verbose -show_chain -crl_check -crl_check_all -policy_check -x509_strict -trusted_first -partial_chain -no_alt_chains -no_check_time -check_ss_sig -no-CAfile -no-CApath -no-CAstore -ignore_critical -issuer_checks';

export const crypto: CommandFamily = {
  openssl: {
    summary: 'use the OpenSSL toolbox',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '--version -v -version --help -help -h',
    operands: 'unknown*',
    // Without a subcommand it reads commands from its input.
    alone: 'unknown',
    variants: [{ has: '--version -v -version --help -help -h', does: '' }],
    subcommands: {
      version: openssl(
        'print the version',
        { flags: '-a -b -d -e -m -f -o -p -r -v -c' },
        ['openssl version', 'openssl version -a'],
        ['openssl version -engine x'],
      ),
      help: openssl('print help', { operands: 'value*' }, ['openssl help'], []),
      list: openssl(
        'list what is supported',
        {
          flags:
            '-1 -verbose -commands -standard-commands -digest-commands -digest-algorithms -kdf-algorithms -mac-algorithms -cipher-commands -cipher-algorithms -public-key-algorithms -public-key-methods -signature-algorithms -disabled -objects -providers -engines',
          values: '-options -select',
        },
        ['openssl list -digest-commands'],
        ['openssl list -provider ./x.so'],
      ),
      ciphers: openssl(
        'list ciphers',
        {
          flags: '-v -V -stdname -s -tls1 -tls1_1 -tls1_2 -tls1_3 -psk -srp',
          values: '-convert -ciphersuites',
          operands: 'value*',
        },
        ['openssl ciphers -v'],
        ['openssl ciphers -provider ./x.so'],
      ),
      errstr: openssl('explain an error number', { operands: 'value*' }, ['openssl errstr 0A000086'], []),
      rand: openssl(
        'print random bytes',
        { flags: '-base64 -hex', operands: 'value*' },
        ['openssl rand -hex 16', 'openssl rand -base64 32'],
        ['openssl rand -out f 16', 'openssl rand -engine ./x.so 4'],
      ),
      prime: openssl(
        'test or make primes',
        { flags: '-hex -generate -safe', values: '-bits -checks', operands: 'value*' },
        ['openssl prime 17'],
        [],
      ),
      passwd: openssl(
        'hash a password',
        {
          flags: '-noverify -stdin -quiet -table -reverse -6 -5 -apr1 -1 -aixmd5',
          values: '-salt',
          options: { '-in': 'read' },
          operands: 'value*',
        },
        ['openssl passwd -6 -salt a b'],
        ['openssl passwd -writerand f x'],
      ),
      dgst: openssl(
        'checksums and signatures',
        {
          flags: `-list -c -r -hex -binary -d -debug ${DIGESTS}`,
          values: '-passin -keyform -xoflen -sigopt -hmac -mac -macopt',
          options: { '-sign -verify -prverify -signature': 'remote-read' },
          operands: 'read*',
        },
        [
          'openssl dgst -sha256 f',
          'openssl md5 f',
          'openssl sha256 a b',
          'openssl dgst -sha256 -verify k.pub -signature s f',
        ],
        [
          'openssl dgst -sha256 -out x f',
          'openssl dgst -engine ./x.so f',
          'openssl dgst -provider-path . -provider x f',
        ],
      ),
      md5: 'dgst',
      sha1: 'dgst',
      sha224: 'dgst',
      sha256: 'dgst',
      sha384: 'dgst',
      sha512: 'dgst',
      ripemd160: 'dgst',
      blake2b512: 'dgst',
      enc: openssl(
        'encrypt or encode',
        {
          flags: `-list -ciphers -e -d -p -P -v -a -base64 -A -nopad -salt -nosalt -debug -pbkdf2 ${CIPHERS}`,
          values: '-k -pass -bufsize -K -S -iv -md -iter',
          options: { '-in -kfile': 'read' },
        },
        ['openssl base64 -in f', 'openssl enc -d -aes-256-cbc -pbkdf2 -in f -k x', 'openssl enc -base64 -A -in f'],
        ['openssl enc -aes-256-cbc -in f -out g', 'openssl base64 -in a -out b', 'openssl enc -engine ./x.so -in f'],
      ),
      base64: 'enc',
      'aes-256-cbc': 'enc',
      'aes-128-cbc': 'enc',
      x509: openssl(
        'show or make a certificate',
        {
          flags: `-nocert -noout -text -fingerprint -alias -serial -startdate -enddate -dates -subject -issuer -email -hash -subject_hash -subject_hash_old -issuer_hash -issuer_hash_old -ocspid -ocsp_uri -purpose -pubkey -modulus -trustout -clrtrust -clrreject -preserve_dates -clrext -req -new -x509toreq -next_serial ${DIGESTS}`,
          values:
            '-passin -copy_extensions -inform -vfyopt -keyform -outform -dateopt -certopt -nameopt -ext -checkend -checkhost -checkemail -checkip -set_serial -days -subj -extensions -sigopt -CAform -CAkeyform -setalias -addtrust -addreject -not_before -not_after',
          // Signing with a CA writes its serial number file.
          options: {
            '-in -key -signkey -force_pubkey -extfile -CAkey': 'remote-read',
            '-CA': 'change',
            '-CAserial': 'edit',
            '-CAcreateserial': '+change',
          },
        },
        [
          'openssl x509 -in c.pem -noout -text',
          'openssl x509 -noout -dates',
          'openssl x509 -in c.pem -noout -checkend 86400',
        ],
        [
          'openssl x509 -in c.pem -out d.pem',
          'openssl x509 -req -in r -CA ca -CAkey k -CAcreateserial',
          'openssl x509 -in http://h/c.pem -noout',
        ],
      ),
      req: openssl(
        'show or make a certificate request',
        {
          flags: `-verify -utf8 -text -subject -pubkey -noout -modulus -batch -verbose -nodes -noenc -newhdr -multivalue-rdn -precert ${DIGESTS}`,
          values:
            '-inform -outform -keyform -section -nameopt -reqopt -subj -days -set_serial -copy_extensions -addext -extensions -reqexts -passin -passout -pkeyopt -sigopt -vfyopt',
          // A new request also writes a new key, to a file that the configuration names.
          options: {
            '-in -key -CAkey': 'remote-read',
            '-CA': 'remote-read',
            '-keyout': 'write',
            '-newkey': 'change',
            '-new -x509': '+change',
            '-keygen_engine': 'library',
          },
        },
        ['openssl req -in r.pem -noout -text', 'openssl req -in r.pem -noout -verify'],
        [
          'openssl req -new -key k -out r',
          'openssl req -x509 -newkey rsa:2048 -keyout k -out c',
          'openssl req -engine ./x.so',
        ],
      ),
      rsa: openssl(
        'show or convert a key',
        {
          flags: `-check -pubin -RSAPublicKey_in -pubout -RSAPublicKey_out -noout -text -modulus -traditional -pubcheck -text_pub -param_out -no_public ${CIPHERS}`,
          values: '-inform -passin -outform -passout -param_enc -conv_form -ec_conv_form -ec_param_enc',
          options: { '-in': 'remote-read' },
        },
        ['openssl rsa -in k -noout -text', 'openssl pkey -in k -pubout', 'openssl ec -in k -noout -text'],
        ['openssl rsa -in k -out l', 'openssl pkey -in k -engine ./x.so'],
      ),
      pkey: 'rsa',
      ec: 'rsa',
      dsa: 'rsa',
      pkcs8: openssl(
        'convert a key',
        {
          flags: '-nocrypt -topk8 -traditional -noiter -scrypt',
          values: '-v1 -v2 -v2prf -inform -passin -outform -passout -iter',
          options: { '-in': 'remote-read' },
        },
        ['openssl pkcs8 -in k -topk8 -nocrypt'],
        ['openssl pkcs8 -in k -out l'],
      ),
      pkcs7: openssl(
        'show a PKCS#7 file',
        { flags: '-noout -text -print -print_certs', values: '-inform -outform', options: { '-in': 'remote-read' } },
        ['openssl pkcs7 -in f -print_certs'],
        ['openssl pkcs7 -in f -out g'],
      ),
      pkcs12: openssl(
        'show or make a PKCS#12 file',
        {
          flags: '-twopass -nokeys -nocerts -noout -legacy -info -nomacver -clcerts -cacerts -noenc -nodes -export',
          values: '-passin -passout -password -name -caname -macalg -iter',
          options: KEY_FILES,
        },
        ['openssl pkcs12 -in f.p12 -info -noout -passin pass:x'],
        ['openssl pkcs12 -export -in c -inkey k -out f.p12'],
      ),
      crl: openssl(
        'show a revocation list',
        {
          flags: '-verify -text -hash -issuer -lastupdate -nextupdate -noout -fingerprint -crlnumber',
          values: '-inform -outform -nameopt -dateopt',
          options: KEY_FILES,
        },
        ['openssl crl -in f -noout -text'],
        ['openssl crl -in f -out g'],
      ),
      asn1parse: openssl(
        'show ASN.1 data',
        {
          flags: '-noout -strictpem -i -dump',
          values: '-inform -offset -length -strparse -dlimit -item -genstr',
          options: { '-in -oid -genconf': 'read' },
        },
        ['openssl asn1parse -in f', 'openssl asn1parse -i -inform DER -in f'],
        ['openssl asn1parse -in f -out g'],
      ),
      verify: openssl(
        'check certificates',
        {
          flags: VERIFY_FLAGS,
          values:
            '-nameopt -policy -purpose -verify_name -verify_depth -auth_level -attime -verify_hostname -verify_email -verify_ip -vfyopt',
          options: {
            '-trusted -CAfile -CApath -untrusted -CRLfile': 'remote-read',
            '-CAstore': 'unknown',
            '-crl_download': '+network',
          },
          operands: 'remote-read*',
        },
        ['openssl verify c.pem', 'openssl verify -CAfile ca.pem c.pem'],
        ['openssl verify -crl_download c.pem', 'openssl verify -engine ./x.so c'],
      ),
      genrsa: openssl(
        'make a key',
        { flags: `-3 -F4 -f4 -verbose -traditional ${CIPHERS}`, values: '-passout -primes', operands: 'value*' },
        ['openssl genrsa 2048'],
        ['openssl genrsa -out k 2048'],
      ),
      genpkey: openssl(
        'make a key',
        {
          flags: `-quiet -genparam -text ${CIPHERS}`,
          values: '-algorithm -pkeyopt -outform -pass',
          options: { '-paramfile': 'read' },
        },
        ['openssl genpkey -algorithm ed25519'],
        ['openssl genpkey -algorithm ed25519 -out k'],
      ),
      ecparam: openssl(
        'show or make curve parameters',
        {
          flags: '-list_curves -genkey -text -noout -check -check_named -no_seed',
          values: '-inform -outform -param_enc -name -conv_form',
          options: { '-in': 'read' },
        },
        ['openssl ecparam -list_curves'],
        ['openssl ecparam -name x -out k'],
      ),
      s_client: {
        summary: 'connect to a TLS server',
        class: 'network',
        style: 'words',
        flags:
          '-showcerts -brief -quiet -crlf -4 -6 -tls1_2 -tls1_3 -status -noservername -ign_eof -debug -msg -state -prexit -no_ign_eof -verify_return_error -verify_quiet -no_ticket -reconnect -tlsextdebug',
        values:
          '-servername -starttls -port -alpn -cipher -ciphersuites -verify -verify_depth -verify_hostname -purpose -xmpphost -name -nameopt',
        options: {
          ...LOADING,
          '-connect -host -proxy': 'host',
          '-CAfile -CApath -cert -key -sess_in': 'read',
          '-sess_out -keylogfile -msgfile': 'write',
        },
        operands: 'host*',
        does: 'network',
        variants: [{ has: '-connect -host', does: '' }],
        examples: {
          readOnly: [],
          notReadOnly: [
            'openssl s_client -connect h:443',
            'openssl s_client -connect h:443 -servername h -showcerts',
            'openssl s_client',
          ],
        },
      },
    },
    examples: {
      readOnly: ['openssl version', 'openssl --version'],
      notReadOnly: ['openssl', 'openssl ca -in r', 'openssl s_server -accept 1', 'openssl engine -t ./x.so'],
    },
  },
  gpg: {
    dashIsStream: true,
    ownState: true,
    summary: 'encrypt, sign and manage keys',
    class: 'read',
    exactLong: true,
    flags:
      '--version -h --help --dump-options --list-keys -k --list-public-keys --list-sigs --list-signatures --fingerprint --with-fingerprint --with-subkey-fingerprint --with-colons --with-keygrip --with-key-data --list-config --print-md --print-mds --show-keys --fixed-list-mode -v --verbose -q --quiet --batch --no-tty -n --dry-run -a --armor --no-auto-check-trustdb --no-options',
    values: '--keyid-format --status-fd --logger-fd --display-charset',
    options: {
      '-o --output --log-file --status-file --logger-file --attribute-file': 'write',
      '--keyring': 'read',
      '--homedir --options': 'hook',
    },
    operands: 'value*',
    program: 'gpg',
    examples: {
      readOnly: [
        'gpg --list-keys',
        'gpg -k --with-colons',
        'gpg --version',
        'gpg --print-md sha256 f',
        'gpg --show-keys f.asc',
        'gpg --fingerprint a@b',
      ],
      notReadOnly: [
        'gpg --import k',
        'gpg f.gpg',
        'gpg -d f',
        'gpg --recv-keys A',
        'gpg --list-keys --homedir ./x',
        'gpg --export -o x',
        'gpg',
        'gpg -e -r a f',
        'gpg --photo-viewer ./x --list-keys',
        'gpg --list-options show-photos -k',
        'gpg -k -o x',
      ],
    },
  },
  gpg2: 'gpg',
  gpgv: {
    dashIsStream: true,
    summary: 'check signatures',
    class: 'read',
    exactLong: true,
    flags: '-v --verbose -q --quiet --ignore-time-conflict --version --help -h',
    values: '--status-fd --logger-fd --weak-digest',
    options: { '--keyring': 'read', '-o --output --log-file': 'write', '--homedir': 'read' },
    operands: 'read*',
    examples: { readOnly: ['gpgv --keyring k f.sig f'], notReadOnly: ['gpgv -o x f.gpg', 'gpgv --frobnicate f'] },
  },
  'ssh-keygen': {
    summary: 'make and show SSH keys',
    class: 'read',
    style: 'posix',
    flags: '-A -B -H -K -L -Q -U -X -c -e -g -h -i -k -l -o -p -q -u -v -y',
    values: '-C -E -F -I -M -N -O -P -R -V -Y -Z -a -b -f -m -n -r -s -t -z',
    options: { '-D -w': 'library' },
    operands: 'value*',
    program: 'ssh-keygen',
    examples: {
      readOnly: [
        'ssh-keygen -lf k.pub',
        'ssh-keygen -y -f k',
        'ssh-keygen -F host',
        'ssh-keygen -L -f c.pub',
        'ssh-keygen -e -f k.pub',
        'ssh-keygen -Y verify -f s -I a -n b -s c',
      ],
      notReadOnly: [
        'ssh-keygen',
        'ssh-keygen -t ed25519 -f k',
        'ssh-keygen -R host',
        'ssh-keygen -D ./x.so',
        'ssh-keygen -p -f k',
        'ssh-keygen -Y sign -f k -n x f',
        'ssh-keygen -l -D ./x.so',
      ],
    },
  },
  age: {
    dashIsStream: true,
    summary: 'encrypt or decrypt files',
    class: 'read',
    flags: '-e --encrypt -d --decrypt -p --passphrase -a --armor --version -h --help',
    options: {
      '-o --output': 'write',
      '-R --recipients-file': 'read',
      // Recipients and identities may name a plugin, which is a program.
      '-r --recipient': 'hook',
      '-i --identity': 'hook',
      '-j': 'program',
    },
    operands: 'read*',
    examples: {
      readOnly: ['age --version', 'age -p f', 'age -R keys f'],
      notReadOnly: ['age -o x -p f', 'age -d -i k f', 'age -j x -d f', 'age -r age1x f'],
    },
  },
  rage: 'age',
  'age-keygen': {
    summary: 'make an age key',
    class: 'read',
    flags: '-y --version -pq -h --help',
    options: { '-o --output': 'write' },
    operands: 'read*',
    examples: { readOnly: ['age-keygen', 'age-keygen -y k'], notReadOnly: ['age-keygen -o k'] },
  },
  pass: {
    summary: 'use the password store',
    class: 'read',
    operands: 'value*',
    flags: '--version --help -h',
    subcommands: {
      ls: {
        summary: 'list the password store',
        class: 'list',
        operands: 'value*',
        examples: { readOnly: ['pass ls'], notReadOnly: ['pass ls -x'] },
      },
      list: 'ls',
      find: {
        summary: 'find names in the password store',
        class: 'search',
        operands: 'value*',
        examples: { readOnly: ['pass find x'], notReadOnly: [] },
      },
      search: 'find',
      version: 'ls',
      help: 'ls',
      show: {
        summary: 'print a password',
        class: 'read',
        optional: '-c --clip -q --qrcode',
        operands: 'value*',
        does: 'secret',
        examples: { readOnly: [], notReadOnly: ['pass show x', 'pass show -c x'] },
      },
      grep: {
        summary: 'search in passwords',
        class: 'read',
        operands: 'value*',
        does: 'secret',
        examples: { readOnly: [], notReadOnly: ['pass grep x'] },
      },
      insert: {
        summary: 'change the password store',
        class: 'write',
        flags: '-e --echo -m --multiline -f --force -n --no-symbols -c --clip -i --in-place -r --recursive',
        operands: 'value*',
        does: 'change',
        examples: { readOnly: [], notReadOnly: ['pass insert x', 'pass rm -rf x', 'pass generate x 20'] },
      },
      add: 'insert',
      generate: 'insert',
      rm: 'insert',
      remove: 'insert',
      delete: 'insert',
      mv: 'insert',
      rename: 'insert',
      cp: 'insert',
      copy: 'insert',
    },
    examples: {
      readOnly: ['pass', 'pass ls', 'pass find x'],
      notReadOnly: ['pass show x', 'pass x', 'pass git push', 'pass edit x'],
    },
  },
  md5: {
    summary: 'checksums of files',
    class: 'read',
    flags: '-p -q -r -t -x -n -h --help',
    values: '-s -c --string --check',
    operands: 'read*',
    examples: { readOnly: ['md5 f', 'md5 -q f', 'md5 -s abc'], notReadOnly: ['md5 -o x f'] },
  },
  sha1: 'md5',
  sha256: 'md5',
  sha512: 'md5',
  rmd160: 'md5',
  shasum: {
    summary: 'checksums of files',
    class: 'read',
    flags:
      '-b --binary -c --check -p --portable -t --text -U --UNIVERSAL -0 --01 --tag --ignore-missing -q --quiet -s --status --strict -w --warn -h --help -v --version',
    values: '-a --algorithm',
    operands: 'read*',
    examples: { readOnly: ['shasum -a 256 f', 'shasum -c list'], notReadOnly: ['shasum -o x f'] },
  },
  b3sum: {
    summary: 'checksums of files',
    class: 'read',
    exactLong: true,
    flags: '--keyed --no-mmap --no-names --raw --tag -c --check --quiet -h --help -V --version',
    values: '--derive-key -l --length --seek --num-threads',
    operands: 'read*',
    examples: { readOnly: ['b3sum f'], notReadOnly: ['b3sum -o x f'] },
  },
};
