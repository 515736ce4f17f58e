/** Budgets of the built page in kB (1,000 bytes) gzip; held by a test and by the bench. */
export const INITIAL_JS_LIMIT_KB = 109
export const CSS_LIMIT_KB = 15
