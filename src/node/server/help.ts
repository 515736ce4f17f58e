import { DASHBOARD_PORT, LOOPBACK, REFERENCE_PORT } from './arguments.ts'

export const HELP = `immune-node-dashboard: monitoring dashboard for immune nodes

Usage: immune-node-dashboard COMMAND [FLAGS]

Commands
  start       the dashboard, and a reference service with demo nodes on this computer
  serve       the dashboard alone
  dev         as start, with hot reload from the source
  reference   the reference service alone; "reference --help" lists its own flags

Flags of start, serve and dev
  --port P                     port of the dashboard (${DASHBOARD_PORT}); 0 picks a free one
  --host H                     name or address to listen on (${LOOPBACK})
  --open                       opens the dashboard in the browser
  --config FILE                services, nodes and receivers of alarms; see config.schema.json
  --data DIR                   where services and receivers that were added in the browser are kept
  --allow-host NAME            a further host name that it answers to; may be repeated
  --allow-add                  services may be added in the browser even when others can reach the server
  --no-add                     services may not be added in the browser

Flags of start and dev
  --reference-port Q           port of the reference service (${REFERENCE_PORT}); 0 picks a free one
  --reference-control-token T  token of its control address (random)
  --nodes N                    how many nodes its network has
  --no-reference               starts none

  --help, --version`
