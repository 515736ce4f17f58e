import type { IncomingMessage } from 'node:http'

/** Headers that proxies, load balancers and delivery networks add; browsers send none of them. */
const HEADERS = [
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-forwarded-.*',
  'x-original-.*',
  'via',
  'x-bluecoat-via',
  '(x-)?real-ip',
  '(x-)?client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  '(wl-)?proxy-client-ip',
  'incap-client-ip',
  'x-sucuri-clientip',
  'x-(remote|source|proxyuser)-(ip|addr)',
  'x-proxy-id',
  'cf-.*',
  'cdn-.*',
  'ali-cdn-.*',
  'fastly-.*',
  'fly-.*',
  'akamai-.*',
  'x-akamai-.*',
  'x-azure-.*',
  'x-arr-.*',
  'x-ms-proxy',
  'x-appengine-.*',
  'x-cloud-trace-context',
  'x-envoy-.*',
  'x-amz-cf-.*',
  'x-amzn-.*',
  'x-vercel-.*',
  'x-nf-.*',
  'x-varnish',
  'x-nginx-.*',
  'x-accel-.*',
  'x-request-start',
  'tailscale-.*',
]

const OF_FRONT = new RegExp(`^(${HEADERS.join('|')})$`)

/** Whether another server passed the request on. Unless configured otherwise, nginx is only recognizable by HTTP/1.0. */
export const isPassedOn = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.0' || Object.keys(headers).some((name) => OF_FRONT.test(name))
