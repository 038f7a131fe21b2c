// dig: names, `@server`, `+option` and types in any order (dig(1)).

import { literal, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf } from '../words/wrapper-words.ts';

const TYPE = /^(?:A|AAAA|ANY|AXFR|CAA|CNAME|DNSKEY|DS|HTTPS|IN|MX|NAPTR|NS|PTR|SOA|SRV|SVCB|TLSA|TXT|CH|HS)$/i;

export const dig: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const text = headOf(word);
    if (text.startsWith('@')) sink.host(afterHead(word, 1));
    else if (!text.startsWith('+') && !(word.kind === 'literal' && TYPE.test(text))) sink.host(word);
  }
  const reverse = args.value('-x');
  if (reverse !== undefined && literal(reverse) === null) sink.host(reverse);
};
