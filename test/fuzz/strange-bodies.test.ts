import { DEFAULTS } from '#base/defaults.ts'
import { changedDocument, strangeBody } from './mutate.ts'
import { sendBodies } from './hostile-service.ts'
import { seedsOf } from './random.ts'

// Bodies that are not records, or are far too large, between records.
sendBodies('test/fuzz/strange-bodies.test.ts', seedsOf(3), (record, random) =>
  random.chance(0.2) ? strangeBody(random, DEFAULTS.bodyMaxBytes) : changedDocument(record, random),
)
