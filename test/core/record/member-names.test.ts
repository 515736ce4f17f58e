import { expect, it } from 'vitest'
import { NODE_ID_MEMBER, PROOF_MEMBER } from '#record/member-names.ts'

it('are those of the service’s interface', () => {
  expect([NODE_ID_MEMBER, PROOF_MEMBER]).toEqual(['node_id', 'cryptographic_proof'])
})
