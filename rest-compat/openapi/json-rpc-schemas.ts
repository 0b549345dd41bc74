import { z } from 'zod';

const RpcId = z.union([z.string(), z.int(), z.null()]);

/** A call of JSON-RPC 2.0; without an id it is a notification, which nothing answers. */
export const JsonRpcRequest = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: RpcId.optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'JsonRpcRequest' });

/** Its answer: a result or an error. */
export const JsonRpcResponse = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: RpcId,
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'JsonRpcResponse' });
