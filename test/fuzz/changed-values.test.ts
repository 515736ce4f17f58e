import { changedDocument } from './mutate.ts'
import { sendBodies } from './hostile-service.ts'
import { seedsOf } from './random.ts'

// Records whose members have other values, are repeated, missing or renamed.
sendBodies('test/fuzz/changed-values.test.ts', seedsOf(4), changedDocument)
