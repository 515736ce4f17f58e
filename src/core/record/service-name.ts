/** Name of a service without a label: host, port and path. A separate file, because the first status needs no URL parsing. */
export const serviceName = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
