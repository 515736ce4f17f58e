/** Budgets of the built page in kB (1,000 bytes) gzip; held by a test and by the bench. */
export const INITIAL_JS_LIMIT_KB = 125
/** All styles, those of the sign-in page too: they are one file. */
export const CSS_LIMIT_KB = 16
/** Each is a request. */
export const LATER_SCRIPTS_MAX = 20
/** Each starts beside the page, which waits for neither to draw. */
export const WORKER_LIMITS_KB = { engine: 150, signer: 72 } as const
