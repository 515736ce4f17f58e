/** RFC 9110's preferred date form only, in ms; NaN for anything else. Date.parse takes many other texts, each engine its own. */
export const httpDateMs = (text: string): number =>
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
