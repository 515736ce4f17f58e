/** How a service is called where no label is given: host, port and path. Apart from what reads addresses, which a first status does not need. */
export const serviceName = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
