/** What a node's first status is drawn without: one part, and so one request. */
export { LimitEdit, NodeEdit } from './node-edit.tsx'
export { NodeAlarm } from '#parts/alarm-bar.tsx'
export { NodeChart, NodeSide, NodeTime } from './node-history.tsx'
