import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Area, AreaChart, Bar, BarChart, CartesianGrid, Line, LineChart } from 'recharts'
import { ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import nacl from 'tweetnacl'

/** The obvious way to build such a page, with every library in the first script. */
function Page() {
  const { data } = useQuery({
    queryKey: ['status'],
    queryFn: () => fetch('/node/status').then((r) => r.json()),
  })
  const chart = (
    <>
      <CartesianGrid />
      <XAxis />
      <YAxis />
      <Tooltip />
      <ReferenceLine y={1} />
    </>
  )
  return (
    <ResponsiveContainer>
      <>
        <LineChart data={data}>
          {chart}
          <Line dataKey="a" />
        </LineChart>
        <AreaChart data={data}>
          {chart}
          <Area dataKey="b" />
        </AreaChart>
        <BarChart data={data}>
          {chart}
          <Bar dataKey="c" />
        </BarChart>
      </>
    </ResponsiveContainer>
  )
}

const pair = nacl.sign.keyPair.fromSeed(new Uint8Array(32))
document.title = String(nacl.sign.detached(new Uint8Array(1), pair.secretKey))
createRoot(document.body).render(
  <QueryClientProvider client={new QueryClient()}>
    <Page />
  </QueryClientProvider>,
)
