import type { Service } from '#settings/schema.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { nameOfService } from '#features/settings/use-key-of-service.ts'

/** Says which services of the server's file will be copied to this browser; nothing where there is none. */
export function CopyNote({ services }: { readonly services: readonly Service[] }) {
  if (services.length === 0) return null
  return <p className="text-12">{keyTexts.replace.copies(services.map(nameOfService))}</p>
}
