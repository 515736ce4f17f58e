/** How severe something is. The words are also the class names that colour it. */
export type Level = 'critical' | 'warning' | 'info' | 'none'
