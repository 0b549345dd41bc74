import { ScanSearch } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { AuditRun } from './audit-run.tsx';
import './audits.css';
import { AuditStatsDocument, type AuditStatsQuery } from './audits.graphql.ts';
import { moodOf } from './score.tsx';

/** Starts audits of sites, shows their progress step by step, and then their scores. */
export default function Audits() {
  const [asked, setAsked] = useState<{ readonly url: string; readonly run: number }>();
  const [url, setUrl] = useState('');
  return (
    <Page title="Audits" lead="How well a site can be read by AI: robots.txt, the page, its structured data, llms.txt.">
      <form
        aria-label="Audit a site"
        className="audit-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() !== '') setAsked({ url: url.trim(), run: (asked?.run ?? 0) + 1 });
        }}
      >
        <TextField
          label="Address"
          name="url"
          placeholder="example.com"
          autoComplete="url"
          value={url}
          onChange={setUrl}
          isRequired
        />
        <Button type="submit" variant="primary" icon={ScanSearch}>
          Audit
        </Button>
      </form>
      {asked !== undefined && <AuditRun key={asked.run} url={asked.url} />}
      <Recent />
    </Page>
  );
}

type Stats = NonNullable<AuditStatsQuery['auditStats']>;

function Recent() {
  const answer = useAsk(AuditStatsDocument, {});
  return (
    <Section title="Recent audits">
      <Loaded answer={answer}>{({ auditStats: stats }) => stats !== null && <Numbers stats={stats} />}</Loaded>
    </Section>
  );
}

function Numbers({ stats }: { readonly stats: Stats }) {
  const { total, last24h, uniqueDomains, averageGeoScore, recentDomains } = stats;
  const numbers = [
    ['Audits', total.toLocaleString('en')],
    ['In 24 hours', last24h.toLocaleString('en')],
    ['Sites', uniqueDomains.toLocaleString('en')],
    ['Average score', averageGeoScore === null ? '–' : String(Math.round(averageGeoScore))],
  ] as const;
  return (
    <>
      <dl className="audit-numbers">
        {numbers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Table
        label="Recently audited sites"
        columns={columns}
        rows={recentDomains}
        keyOf={({ domain }) => domain}
        empty={
          <State icon={ScanSearch} title="No site yet">
            Enter the address of a site above; an audit takes some seconds.
          </State>
        }
      />
    </>
  );
}

const columns: readonly TableColumn<Stats['recentDomains'][number]>[] = [
  { id: 'site', name: 'Site', grows: true, cell: ({ domain }) => domain },
  {
    id: 'score',
    name: 'Score',
    align: 'end',
    cell: ({ geoScore }) => <Badge mood={moodOf(geoScore)}>{geoScore}</Badge>,
  },
  { id: 'when', name: 'Audited', cell: ({ auditedAt }) => <When at={auditedAt} /> },
];
