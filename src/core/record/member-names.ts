/** Members that the layers below the metrics know by name; apart from what reads them, which no page needs. */
export const NODE_ID_MEMBER = 'node_id'
export const PROOF_MEMBER = 'cryptographic_proof'
