/** Budgets of the built page in kB (1,000 bytes) gzip; held by a test and by the bench. */
export const INITIAL_JS_LIMIT_KB = 125
export const CSS_LIMIT_KB = 13
/** With the styles of parts that are fetched later, and those of the sign-in page. */
export const ALL_CSS_LIMIT_KB = 18
/** Each starts beside the page, which waits for neither to draw. */
export const WORKER_LIMITS_KB = { engine: 145, signer: 72 } as const
