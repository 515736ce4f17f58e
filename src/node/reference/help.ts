import { KEYS_FILE, REFERENCE_PORT } from './arguments.ts'
import { describeFaults } from './fault-order.ts'
import { DEFAULT_SEED, NODES_MAX } from './network.ts'

export const referenceHelp =
  (): string => `reference: a service with demo nodes that verifies signatures, and has faults on demand

Usage: reference [FLAGS]
       reference keys add PUBLIC-KEY [--nodes IDS] [--not-after TIME] [--note TEXT] [--keys FILE]

The service
  --port P             port (${REFERENCE_PORT}); 0 picks a free one
  --host H             address to listen on (127.0.0.1)
  --nodes N            how many nodes its network has, 1 to ${NODES_MAX} (12)
  --seed TEXT          another network: other keys, other values (${DEFAULT_SEED})
  --keys FILE          registered keys, one a line; read again when it changes (${KEYS_FILE})
  --profile P          how requests are signed: a preset's id, or a file with a profile (bearer-v1)
  --token-file FILE    the token that clients of a profile with {token} send
  --enroll             registers each new key that signs well, 32 at most; on loopback only
  --origin ORIGIN      an address under which clients know it, beside its own; may be repeated
  --allow-origin O     a page that may read it across origins; may be repeated
                       (http://127.0.0.1:*, http://localhost:*, http://[::1]:*)

Control, on 127.0.0.1 only
  --control-port P     port of the control address (0: a free one)
  --control-token T    its token (random, printed)

Faults
  --fault NAME[=VALUE][@NODE-ID]   a fault from the start; may be repeated
  --chaos RATE                     a random fault for this share of requests, 0 to 1
  --clock-offset=MS                sets the service's clock off

keys add
  PUBLIC-KEY           64 hex digits
  --nodes IDS          node ids with commas between, or "*" (*)
  --not-after TIME     90d, 12h, or a time like 2027-01-01T00:00:00Z (never)
  --note TEXT          what the key is for

Faults by name, with the default of their value
  ${describeFaults().join('\n  ')}
`
