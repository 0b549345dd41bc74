import type { z } from 'zod';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent, type PlatformEvent } from '../../kernel/feeds/append-event.ts';
import { eventTypes } from '../../kernel/feeds/event-types.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { CallOptions, Service } from '../helpers/service.ts';

/** Tells of a fact as an operation of the platform does, in a transaction of its own. */
export function tell(
  { app }: Service,
  { type, ...event }: Omit<PlatformEvent<z.ZodObject>, 'type'> & { readonly type: string },
): Promise<void> {
  const ctx = { services: app.services, signal: new AbortController().signal } as unknown as Context;
  return unitOfWork(ctx, async (work) => work.append(appendEvent({ ...event, type: eventTypes.get(type)! })));
}

/** A project of a new organization each, and the calls on its events. */
export function feedsOf(service: Service) {
  const call = documentedCalls(service);
  return async () => {
    const project = await service.project();
    const { wallet, orgId, projectId, serviceKey } = project;
    const key = service.actors.bearer(serviceKey);
    const path = `/projects/v1/${projectId}/events`;
    return {
      ...project,
      key,
      path,
      emit: (event_type: unknown, payload?: unknown, more: object = {}, options: CallOptions = {}) =>
        call(key, 'POST', path, { body: { event_type, payload, ...more }, ...options }),
      read: (query = '', actor: Actor = wallet) => call(actor, 'GET', `${path}${query}`),
      readOrg: (query = '', actor: Actor = wallet) => call(actor, 'GET', `/orgs/v1/${orgId}/events${query}`),
      /** Something that concerns the organization as a whole. */
      notifyOrg: (state = 'past_due', onceKey?: string) =>
        tell(service, {
          orgId,
          projectId: null,
          type: 'organization_past_due',
          payload: {
            organization_lifecycle_state: state,
            previous_state: 'active',
            effective_at: '2026-03-01T00:00:00.000Z',
          },
          onceKey,
        }),
      /** Something that the platform knows of the project. */
      notifyProject: (release = 'rel_1', onceKey?: string) =>
        tell(service, {
          orgId,
          projectId,
          type: 'deploy_activated',
          payload: { release_id: release, operation_id: 'op_1' },
          onceKey,
        }),
    };
  };
}

export const typesOf = (answer: { readonly body: { readonly events: readonly { event_type: string }[] } }) =>
  answer.body.events.map(({ event_type }) => event_type);
