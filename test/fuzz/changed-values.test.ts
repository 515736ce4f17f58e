import { changedDocument } from './mutate.ts'
import { sendBodies } from './hostile-service.ts'
import { seedsOf } from './random.ts'

// Members with other values, twice, missing, of other names.
sendBodies('test/fuzz/changed-values.test.ts', seedsOf(4), changedDocument)
