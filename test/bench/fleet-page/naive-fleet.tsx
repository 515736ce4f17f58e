import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import nacl from 'tweetnacl'

/** Options of the page. */
export type NaiveFleet = {
  readonly ids: readonly string[]
  readonly intervalMs: number
  /** Signs each request with tweetnacl; false if the service needs no signature. */
  readonly signs: boolean
}

declare global {
  var naiveFleet: NaiveFleet
}

const { ids, intervalMs, signs } = globalThis.naiveFleet
const pair = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7))
const encoder = new TextEncoder()

/** Signs a text as long as that of a status request. */
function authorization(id: string): string {
  const text = `immune-node-status:${id}:${Date.now()}`.padEnd(119, '.')
  return `Bearer ${btoa(String.fromCharCode(...nacl.sign.detached(encoder.encode(text), pair.secretKey)))}`
}

type Answer = {
  readonly status: string
  readonly stake_deployed: number
  readonly network_participation: number
  readonly threat_responses_executed: number
  readonly last_heartbeat: number
  readonly cryptographic_proof: string
}

const ask = async (id: string): Promise<Answer> => {
  const headers: HeadersInit = signs ? { Authorization: authorization(id) } : {}
  const response = await fetch(`/node/status?node_id=${id}`, { headers })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

function Row({ id }: { readonly id: string }) {
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['status', id],
    queryFn: () => ask(id),
    refetchInterval: intervalMs,
  })
  const ageS = data && Math.round(dataUpdatedAt / 1_000 - data.last_heartbeat)
  return (
    <tr>
      <td>{id}</td>
      <td>{data?.status}</td>
      <td className="val">{data?.stake_deployed}</td>
      <td>{data?.network_participation}</td>
      <td>{data?.threat_responses_executed}</td>
      <td>{ageS === undefined ? '' : `${ageS} s`}</td>
      <td>{data?.cryptographic_proof.slice(0, 12)}</td>
    </tr>
  )
}

/** The obvious way to build such a page: a query per row, and all rows in one table. */
function Page() {
  const [filter, setFilter] = useState('')
  return (
    <>
      <input aria-label="Filter" value={filter} onChange={(event) => setFilter(event.target.value)} />
      <table>
        <tbody>
          {ids
            .filter((id) => id.includes(filter))
            .map((id) => (
              <Row key={id} id={id} />
            ))}
        </tbody>
      </table>
    </>
  )
}

createRoot(document.body).render(
  <QueryClientProvider client={new QueryClient()}>
    <Page />
  </QueryClientProvider>,
)
