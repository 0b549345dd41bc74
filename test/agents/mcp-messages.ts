/** A request. */
export const call = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
/** A message that nothing is answered to. */
export const tell = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
