import { isTooLarge, TOO_LARGE, type Inspection } from '#keys/inspection.ts'
import type { SignerAdmin } from './api.ts'
import { bytesOf, placeOf, textOf } from './arguments.ts'
import type { Offered } from './offered.ts'

type InspectionCall = 'inspectKey' | 'openInspected' | 'keepInspected' | 'dropInspected'

/** The part of a page's calls that is about a key which is not kept yet. */
export const inspectionCalls = (inspection: Inspection): Offered<Pick<SignerAdmin, InspectionCall>> => ({
  inspectKey: async ([source]) => {
    if (!(source instanceof Blob)) return inspection.inspect(bytesOf(source))
    // Looked at before it is read: any file can be chosen by mistake.
    if (isTooLarge(source.size)) {
      inspection.drop()
      return TOO_LARGE
    }
    return inspection.inspect(new Uint8Array(await source.arrayBuffer()))
  },
  openInspected: async ([passphrase]) => inspection.open(bytesOf(passphrase)),
  keepInspected: async ([publicKey, label, place]) =>
    inspection.keep(textOf(publicKey), textOf(label), placeOf(place)),
  dropInspected: async () => inspection.drop(),
})
