/** Budgets of the built page in kB (1,000 bytes) gzip, which a test and the bench enforce. */
export const INITIAL_JS_LIMIT_KB = 125
/** All styles in one file, including the sign-in page's. */
export const CSS_LIMIT_KB = 16
/** Each script is a separate request. */
export const LATER_SCRIPTS_MAX = 20
/** Workers start in parallel with the page, which does not wait for them to draw. */
export const WORKER_LIMITS_KB = { engine: 155, signer: 72 } as const
