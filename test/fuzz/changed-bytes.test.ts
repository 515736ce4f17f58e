import { changedBytes } from './mutate.ts'
import { sendBodies } from './hostile-service.ts'
import { seedsOf } from './random.ts'

const ENCODER = new TextEncoder()

// Records with changed, missing, repeated or truncated bytes.
sendBodies('test/fuzz/changed-bytes.test.ts', seedsOf(3), (record, random) =>
  changedBytes(ENCODER.encode(JSON.stringify(record)), random),
)
