// The keys of the methods that `using` and `await using` call. Node has these symbols since 20.5, and compilers that translate
// `using` add them; in older versions nothing calls the methods, and this package does not change global objects.

export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol('Symbol.dispose');
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol('Symbol.asyncDispose');
