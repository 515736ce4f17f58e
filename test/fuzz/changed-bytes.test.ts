import { changedBytes } from './mutate.ts'
import { sendBodies } from './hostile-service.ts'
import { seedsOf } from './random.ts'

const ENCODER = new TextEncoder()

// A record with bytes that are changed, left out, doubled or cut off.
sendBodies('test/fuzz/changed-bytes.test.ts', seedsOf(3), (record, random) =>
  changedBytes(ENCODER.encode(JSON.stringify(record)), random),
)
