/** Names of the rows that are no lanes. */
export const AXIS_SLOT = 'axis'
export const HEALTH_SLOT = 'health'
