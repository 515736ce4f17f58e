import type { Dashboard } from '#react/dashboard.ts'

/** What only a person's own act asks of the dashboard's server. */
export const serverServices = () => import('#platform/server-services.ts')

/** What the page asks of the dashboard's own server. `restartEngine`: what the engine may reach is fixed when its script is loaded. */
export const createServerAdmin = (
  restartEngine: () => Promise<void>,
): Pick<Dashboard, 'allowService' | 'listAdded' | 'removeAdded' | 'receivers' | 'signedIn' | 'signOut'> => ({
  allowService: async (service) => {
    const allowed = await (await serverServices()).allowServiceOnServer(service)
    if (allowed.ok && service.via === 'direct') await restartEngine()
    return allowed
  },
  listAdded: async () => (await serverServices()).listAddedServices(),
  removeAdded: async (baseUrl) => (await serverServices()).removeAddedService(baseUrl),
  signedIn: async () => (await serverServices()).readSession(),
  signOut: async () => (await serverServices()).endSession(),
  receivers: {
    list: async () => (await serverServices()).listReceivers(),
    add: async (receiver) => {
      const added = await (await serverServices()).addReceiver(receiver)
      if (added.ok && receiver.via === 'direct') await restartEngine()
      return added
    },
    remove: async (id) => (await serverServices()).removeReceiver(id),
  },
})
