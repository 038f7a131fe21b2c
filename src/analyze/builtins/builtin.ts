// The interface of shell builtins: each gets its words and may change the state.

import type { WordValue } from '../../core/facts.ts';
import type { Draft } from '../effects/draft.ts';
import type { Expansion, Flow } from '../machine.ts';
import { forgetVariables, type Value } from '../state.ts';

/** `declare a=…`: an argument that the parser reads as an assignment, with its value. */
export interface Declared {
  readonly word: WordValue;
  readonly name: string;
  /** For the whole variable, or for the element if it has a subscript. */
  readonly value: Value;
  readonly isList: boolean;
  readonly isElement: boolean;
}

export interface BuiltinCall {
  /** The name first, as in argv. */
  readonly words: readonly WordValue[];
  readonly declared: readonly Declared[];
  readonly draft: Draft;
  readonly x: Expansion;
  /** Runs a builtin or program by name, bypassing functions. */
  readonly runNamed: (
    name: string,
    words: readonly WordValue[],
    declared: readonly Declared[],
    draft: Draft,
    x: Expansion,
  ) => Flow;
}

export type Builtin = (call: BuiltinCall) => Flow;

export function unchanged({ x }: BuiltinCall): Flow {
  return { ok: x.state, fail: x.state };
}

/** Sets a variable whose name is unknown, or whose subscript bash evaluates. */
export function doubtNames(call: BuiltinCall): Flow {
  const message = 'the name of the variable to set is unknown, or its subscript is evaluated';
  call.x.machine.recorder.cannotTell('dynamic-name', message, call.draft.span);
  call.x.state = forgetVariables(call.x.state);
  return unchanged(call);
}

interface SplitWords {
  /** The letters after `-`. */
  readonly options: string;
  /** The letters after `+`, which only some builtins parse as options. */
  readonly removed: string;
  readonly operands: readonly WordValue[];
}

/** Splits leading options from operands as builtins do; `null` if that is uncertain. */
export function splitOptions(words: readonly WordValue[], signs: '-' | '-+' = '-'): SplitWords | null {
  let options = '';
  let removed = '';
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i] as WordValue;
    if (word.kind !== 'literal') {
      if (word.kind === 'dynamic' && !word.many && word.head !== '' && !signs.includes(word.head.charAt(0))) break;
      return null;
    }
    if (word.value === '--') {
      i++;
      break;
    }
    if (word.value.length < 2 || !signs.includes(word.value.charAt(0))) break;
    if (word.value.startsWith('-')) options += word.value.slice(1);
    else removed += word.value.slice(1);
  }
  return { options, removed, operands: words.slice(i) };
}
