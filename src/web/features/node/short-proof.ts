/** "0x9c41…77ab": both ends. The whole is copied, never shown: it may have a thousand digits. */
export const shortProof = (proof: string): string =>
  proof.length <= 14 ? proof : `${proof.slice(0, 6)}…${proof.slice(-4)}`
