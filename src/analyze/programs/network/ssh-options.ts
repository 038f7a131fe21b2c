// `-o Key=value` of ssh, scp and sftp → what the key makes them run, read or write (ssh_config(5)).

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, literalWord } from '../program.ts';
import { afterHead, headOf } from '../words/wrapper-words.ts';

const RUNS_SHELL = new Set(['proxycommand', 'localcommand', 'knownhostscommand', 'match', 'exec']);
const LOADS_CODE = new Set(['pkcs11provider', 'securitykeyprovider', 'smartcarddevice', 'xauthlocation', 'include']);
const READS = new Set(['identityfile', 'certificatefile', 'globalknownhostsfile', 'revokedhostkeys']);
const HARMLESS = wordSet(
  'addkeystoagent addressfamily batchmode bindaddress bindinterface canonicaldomains ' +
    'canonicalizefallbacklocal canonicalizehostname casignaturealgorithms challengeresponseauthentication ' +
    'checkhostip ciphers compression connectionattempts connecttimeout controlmaster controlpersist ' +
    'dynamicforward enableescapecommandline escapechar exitonforwardfailure fingerprinthash ' +
    'forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports ' +
    'gssapiauthentication gssapidelegatecredentials hashknownhosts host hostbasedauthentication ' +
    'hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent ipqos kbdinteractiveauthentication ' +
    'kexalgorithms localforward loglevel logverbose macs nohostauthenticationforlocalhost ' +
    'numberofpasswordprompts passwordauthentication port preferredauthentications protocol proxyjump ' +
    'proxyusefdpass pubkeyacceptedalgorithms pubkeyauthentication rekeylimit remoteforward requesttty ' +
    'requiredrsasize serveralivecountmax serveraliveinterval sendenv sessiontype setenv stdinnull ' +
    'streamlocalbindmask streamlocalbindunlink stricthostkeychecking syslogfacility tcpkeepalive tunnel ' +
    'tunneldevice updatehostkeys user verifyhostkeydns visualhostkey',
);

/** `remote`: where the text of RemoteCommand would run, `ssh host`. */
export function judgeSshOption(option: WordValue, sink: EffectSink, remote: string): void {
  const match = /^\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)/.exec(headOf(option));
  if (match === null) {
    const key = literal(option);
    if (key === null) sink.cannotTell('wrapper-arguments', 'an ssh option is unknown', option.span);
    else sink.unknown(`ssh option ${key}`);
    return;
  }
  const key = (match[1] as string).toLowerCase();
  const value = afterHead(option, match[0].length);
  const text = literal(value)?.trim() ?? null;
  if (RUNS_SHELL.has(key)) {
    const host = /^ssh (?:.*@)?([\w.-]+)$/.exec(remote)?.[1] ?? 'host';
    const filled = text === null ? value : literalWord(text.replace(/%[hn]/g, host), value);
    if (text?.toLowerCase() !== 'none') sink.shell(filled, `ssh -o ${match[1]}`, { shell: 'sh' });
  } else if (key === 'permitlocalcommand') {
    if (text?.toLowerCase() !== 'no') sink.executes('hook', null);
  } else if (key === 'remotecommand') {
    if (text?.toLowerCase() !== 'none') sink.shell(value, 'ssh', { shell: 'sh', elsewhere: remote });
  } else if (LOADS_CODE.has(key)) sink.executes('hook', value);
  else if (READS.has(key)) sink.path('read', value);
  else if (key === 'userknownhostsfile' || key === 'controlpath') {
    if (text?.toLowerCase() !== 'none') sink.path('write', value);
  } else if (!HARMLESS.has(key)) sink.unknown(`ssh option ${match[1]}`);
}
