/** Parts that the node's first status does not need, in one chunk and so one request. */
export { LimitEdit, NodeEdit } from './node-edit.tsx'
export { NodeAlarm } from '#parts/alarm-bar.tsx'
export { NodeSide, NodeTime } from './node-history.tsx'
export { NodeChart } from './node-chart.tsx'
