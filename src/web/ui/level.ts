/** The values are also the class names for the colours. */
export type Level = 'critical' | 'warning' | 'info' | 'none'
