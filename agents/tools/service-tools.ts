import type { z } from 'zod';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import { HealthinessWire, type ServiceStatus, StatusWire } from '../../rest-compat/service-status.ts';
import { refuseUnknown, type Tool } from './tool.ts';

const input = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

const ofService = (
  name: string,
  description: string,
  output: z.ZodType,
  ask: (service: ServiceStatus) => Promise<object>,
): Tool => ({
  name,
  description,
  input,
  output: wholeForm(output, 'output'),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  operations: [],
  isPriced: false,
  secrets: [],
  isLong: false,
  isInSteps: false,
  waits: () => undefined,
  async run({ ctx, service }, args) {
    refuseUnknown(input, args);
    ctx.chargeAddress();
    return ask(service);
  },
});

/** How the gateway itself is, for anybody: what `GET /status` and `GET /health` answer. Contract 04, section 4.2.16. */
export const serviceTools: readonly Tool[] = [
  ofService(
    'service_status',
    'What this gateway can do, which version it is, for how long it has been up, and whether all of it works. Look here first when calls fail for no reason of their own.',
    StatusWire,
    (service) => service.status(),
  ),
  ofService(
    'service_health',
    'Whether this gateway and each thing it depends on (its database, chains, payments) are well, one by one.',
    HealthinessWire,
    (service) => service.health(),
  ),
];
