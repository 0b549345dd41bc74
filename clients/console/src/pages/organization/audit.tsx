import { ScrollText, SearchX } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { DateField } from '../../design/date-field.tsx';
import { Select } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { shortId } from '../../design/wallet.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { OrganizationPeopleDocument } from '../org.graphql.ts';
import { AuditTrailDocument } from './audit.graphql.ts';
import { AuditActor } from './audit-actor.tsx';
import { AuditEntry } from './audit-entry.tsx';
import { actionKinds, actionName } from './audit-words.ts';
import { memberName } from './member-name.ts';

/** The first moment of a day of the browser's time zone, plus some days. Undefined for a day that is not one. */
function startOf(day: string, plusDays = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  const at = new Date(year ?? Number.NaN, (month ?? Number.NaN) - 1, (date ?? Number.NaN) + plusDays);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The audit trail of an organization, newest first: who changed what. The address holds its filters. */
export function AuditTrail({ org }: { readonly org: string }) {
  const [action, setAction] = useSearch('action', '');
  const [actor, setActor] = useSearch('actor', '');
  const [since, setSince] = useSearch('since', '');
  const [until, setUntil] = useSearch('until', '');
  const [chosen, choose] = useSearch('entry', '');
  const pages = usePages([action, actor, since, until].join('|'));
  const answer = useAsk(AuditTrailDocument, {
    org,
    after: pages.after,
    action: action || undefined,
    actor: actor || undefined,
    since: startOf(since),
    until: startOf(until, 1),
  });
  const members = useAsk(OrganizationPeopleDocument, { org }).data?.organization?.members.edges ?? [];
  const isFiltered = [action, actor, since, until].some((one) => one !== '');
  const clear = () => {
    for (const set of [setAction, setActor, setSince, setUntil]) set('', { replace: true });
  };
  const known = members.map(({ node }) => ({ id: node.principalId, name: memberName(node) }));
  // The address may name an actor that is no member any more.
  const actors =
    known.some(({ id }) => id === actor) || actor === '' ? known : [...known, { id: actor, name: shortId(actor) }];
  const kinds = actionKinds.some(({ id }) => id === action)
    ? actionKinds
    : [...actionKinds, { id: action, name: actionName(action) }];
  return (
    <div className="tab-body">
      <fieldset className="audit-filters" aria-label="Filters of the audit trail">
        <Select label="Action" options={kinds} value={action} onChange={setAction} />
        <Select label="Actor" options={[{ id: '', name: 'Everyone' }, ...actors]} value={actor} onChange={setActor} />
        <DateField label="From" value={since} onChange={(day) => setSince(day, { replace: true })} />
        <DateField label="To" value={until} onChange={(day) => setUntil(day, { replace: true })} />
        {isFiltered && (
          <Button variant="quiet" onPress={clear}>
            Clear filters
          </Button>
        )}
      </fieldset>
      <Loaded answer={answer}>
        {({ organization }) => {
          const trail = organization?.auditEvents;
          if (trail == null) return null;
          const rows = trail.edges.map(({ node }) => node);
          const entry = rows.find(({ eventId }) => eventId === chosen);
          return (
            <div className={entry === undefined ? 'audit' : 'audit has-entry'}>
              <div className="tab-body">
                <Table
                  label="Audit trail"
                  rows={rows}
                  keyOf={({ eventId }) => eventId}
                  columns={[
                    {
                      id: 'action',
                      name: 'Action',
                      cell: (one) => (
                        <button
                          type="button"
                          className="audit-action table-link"
                          aria-pressed={one.eventId === chosen}
                          onClick={() => choose(one.eventId === chosen ? '' : one.eventId)}
                        >
                          {actionName(one.action)}
                        </button>
                      ),
                    },
                    { id: 'actor', name: 'Actor', cell: (one) => <AuditActor actor={one.actor} /> },
                    {
                      id: 'object',
                      name: 'Object',
                      grows: true,
                      cell: ({ objectKind, objectId }) => (
                        <>
                          {objectKind.replaceAll('_', ' ')} <code title={objectId}>{shortId(objectId)}</code>
                        </>
                      ),
                    },
                    { id: 'at', name: 'Time', align: 'end', cell: ({ occurredAt }) => <When at={occurredAt} /> },
                  ]}
                  empty={
                    isFiltered ? (
                      <State
                        icon={SearchX}
                        title="No entry matches"
                        action={<Button onPress={clear}>Clear filters</Button>}
                      >
                        No change in this organization fits the filters.
                      </State>
                    ) : (
                      <State icon={ScrollText} title="No change yet">
                        Each change in the organization leaves an entry here.
                      </State>
                    )
                  }
                />
                <Pager pages={pages} info={trail.pageInfo} list="the audit trail" />
              </div>
              {entry !== undefined && <AuditEntry entry={entry} close={() => choose('')} />}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}
