import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { isGatewayPriced, isPriced } from '../../kernel/run/price.ts';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import type { JsonSchema } from '../../rest-compat/openapi/path-doc.ts';
import { asNobody, type Route } from '../../rest-compat/route.ts';
import { annotationsOf } from './annotations.ts';
import { descriptionFor } from './descriptions.ts';
import { type ArgumentForm, type Arguments, refuseUnknown, type Tool } from './tool.ts';

/** What differs of a tool from what its operation says. */
export interface ToolOptions {
  /** What arguments are called, by the operation's own inputs, where the documented path calls them otherwise. */
  readonly spelling?: Readonly<Record<string, string>>;
}

/** What operations without a path call what others have in theirs. */
const usual: Readonly<Record<string, string>> = { org: 'org_id', project: 'project_id', room: 'room_key' };

const keyForm: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'The same call under the same key is done once; give one where a call may have to be repeated.',
};

/** What tells of its steps: visits to sites, and what is done in steps of its own. */
const isInSteps = (op: AnyOperation): boolean => 'steps' in op || op.duration === 'steps';

/** An operation as a tool, its arguments named as its documented path names them. */
export function operationTool(
  op: AnyOperation,
  name: string,
  routes: readonly Route[],
  { spelling = {} }: ToolOptions = {},
): Tool {
  const names = namesOf(op, routes, spelling);
  const takesKey = op.kind === 'mutation' && !isGatewayPriced(op) && !('idempotency_key' in op.input.shape);
  const input = formOf(op, names, takesKey);
  const isOfNobody = routes.some(({ operation, withoutCredential }) => operation === op.name && withoutCredential);
  const spell = (own: string) => names.get(own) ?? own;
  return {
    name,
    description: descriptionOf(op, name),
    input,
    output: wholeForm(op.wire, 'output'),
    annotations: annotationsOf(op),
    operations: [op.name],
    isPriced: isPriced(op),
    secrets: secretsIn(z.toJSONSchema(op.wire, { io: 'output', unrepresentable: 'any' })),
    isLong: isInSteps(op) || op.duration === 'long',
    isInSteps: isInSteps(op),
    waits: ({ wait }) => (op.waits === true && Number(wait) > 0 ? Math.min(Number(wait), 25) : undefined),
    async run({ ctx }, args) {
      // A call without a payment is told the price before anything else is looked at.
      const isAsked = isGatewayPriced(op) && ctx.paymentContext?.signature === undefined;
      if (!isAsked) refuseUnknown(input, args);
      const asker = isOfNobody ? asNobody(ctx) : ctx;
      const raw: Record<string, unknown> = {};
      for (const [own, shown] of names) if (Object.hasOwn(args, shown)) raw[own] = args[shown];
      const output = await execute(op, takesKey ? withKey(asker, args) : asker, raw, spell);
      return op.toWire(output, ctx);
    },
  };
}

/** The operation's inputs and what they are called; those that no documented path takes are left out. */
function namesOf(op: AnyOperation, routes: readonly Route[], spelling: NonNullable<ToolOptions['spelling']>) {
  const places = routes.find(({ operation, places }) => operation === op.name && places !== undefined)?.places;
  const names = new Map<string, string>();
  for (const own of Object.keys(op.input.shape)) {
    const place = places?.[own];
    if (places !== undefined && place === undefined) continue;
    const documented = place?.name === 'id' ? 'project_id' : place?.name;
    names.set(own, spelling[own] ?? documented ?? usual[own] ?? own);
  }
  return names;
}

function formOf(op: AnyOperation, names: ReadonlyMap<string, string>, takesKey: boolean): ArgumentForm {
  // The fields alone: a name that the whole has would stand in for them.
  const form = wholeForm(z.object(op.input.shape), 'input') as Partial<ArgumentForm>;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [own, shown] of names) {
    properties[shown] = form.properties?.[own] ?? {};
    if (form.required?.includes(own) === true) required.push(shown);
  }
  if (takesKey) {
    properties.idempotency_key = keyForm;
    if (op.kind === 'mutation' && op.idempotency === 'required') required.push('idempotency_key');
  }
  const { $defs } = form;
  return { type: 'object', properties, required, additionalProperties: false, ...($defs && { $defs }) };
}

function descriptionOf(op: AnyOperation, name: string): string {
  const more = [
    isPriced(op) ? 'Sold over x402: without a payment in _meta["x402/payment"] the result is what to sign.' : '',
    op.access.openTo === 'admin' ? 'For the platform’s admin alone.' : '',
  ];
  return [descriptionFor(name, op.summary), ...more].filter((text) => text !== '').join(' ');
}

/** Names of members that are marked as secrets, however deep. */
function secretsIn(schema: unknown, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, secret, ...rest } = schema as JsonSchema & { readonly properties?: object };
  const own = secret === true && name !== '' ? [name] : [];
  const inner = Object.entries(properties).flatMap(([member, form]) => secretsIn(form, member));
  return [...new Set([...own, ...inner, ...Object.values(rest).flatMap((form) => secretsIn(form))])];
}

/** @throws VALIDATION_FAILED for a key that is no text; INVALID_IDEMPOTENCY_KEY comes from the operation's own road */
function withKey(ctx: Context, { idempotency_key: key }: Arguments): Context {
  if (key === undefined || key === null) return ctx;
  if (typeof key !== 'string') throw invalidField('idempotency_key', 'must be a text');
  return { ...ctx, request: { ...ctx.request, idempotencyKey: key } };
}
