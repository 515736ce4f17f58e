import type { SignerAdmin } from './api.ts'

/** Every name of an API, so that none is missing where it is served and none is there by accident. */
export type Offered<Api> = { readonly [Name in keyof Api]: (args: readonly unknown[]) => Promise<unknown> }

/** Some of a page's calls. */
export type SomeCalls = Partial<Offered<SignerAdmin>>
