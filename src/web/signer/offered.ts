import type { SignerAdmin } from './api.ts'

/** Every call of an API by name, so that the server side neither lacks a call nor offers an extra one. */
export type Offered<Api> = { readonly [Name in keyof Api]: (args: readonly unknown[]) => Promise<unknown> }

export type SomeCalls = Partial<Offered<SignerAdmin>>
