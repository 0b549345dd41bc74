import { Button } from '../../design/button.tsx';
import { Day } from '../../design/day.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Markdown } from '../../design/markdown.tsx';
import { Note } from '../../design/note.tsx';
import { Sparkline } from '../../design/sparkline.tsx';
import { Samples } from './samples.tsx';

const text = `**Bold**, *slanted*, \`code\` and [a link](https://example.com).

- one
- two

> said before

\`\`\`
select 1;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |`;

const fixedDay = '2025-11-25T12:00:00Z';

export function ReadingSamples() {
  return (
    <>
      <Samples title="Filters">
        <Filters>
          <Select
            label="Time"
            options={[
              { id: 'day', name: 'Last 24 hours' },
              { id: 'week', name: 'Last 7 days' },
            ]}
            value="day"
            onChange={() => {}}
          />
          <TextField label="Function" placeholder="All functions" />
        </Filters>
      </Samples>
      <Samples title="Day">
        <div style={{ width: '100%' }}>
          <Day at={fixedDay} />
        </div>
      </Samples>
      <Samples title="Notes">
        <Note title="The room is quiet.">Nothing was sent today.</Note>
        <Note mood="good" title="No new failures.">
          1,236 runs in this time.
        </Note>
        <Note mood="warn" title="No one was notified." action={<Button small>Add a contact</Button>}>
          The organization has no escalation contacts.
        </Note>
        <Note mood="bad" title="Revert the release: 2 failures are new." />
      </Samples>
      <Samples title="Trend">
        <Sparkline values={[0, 1, 4, 9, 3, 0, 0, 2, 6, 1, 0, 0]} />
        <Sparkline values={Array.from({ length: 12 }, () => 0)} />
      </Samples>
      <Samples title="Markdown">
        <Markdown text={text} />
      </Samples>
    </>
  );
}
