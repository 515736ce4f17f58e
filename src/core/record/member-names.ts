/**
 * Members that the layers below the metrics need by name. A separate file, so that pages do not load the code that reads them.
 */
export const NODE_ID_MEMBER = 'node_id'
export const PROOF_MEMBER = 'cryptographic_proof'
