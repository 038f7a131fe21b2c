// The keys under which `using` and `await using` look for an end. Node has the symbols from 20.5 on, and so does
// whoever compiles `using` for it; on an older one nobody looks, and the global object is not ours to change.

export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol('Symbol.dispose');
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol('Symbol.asyncDispose');
