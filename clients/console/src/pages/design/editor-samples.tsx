import { buildSchema } from 'graphql';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { announce } from '../../design/toast.tsx';
import { Samples } from './samples.tsx';

const tables = { tasks: ['id', 'title', 'done'], people: ['id', 'name'], 'Odd Name': ['Größe'] };
const schema = buildSchema('type Query { tasks(first: Int): [Task!]! } type Task { id: ID! title: String! }');

const query = `-- Tasks that are open
select id, title, 42 as answer
from tasks
where done = false and title like 'A%';
`;

const wrong = 'selec id from tasks';
const faults = [{ from: 0, to: 5, message: 'Syntax error at or near "selec".' }];

export function EditorSamples() {
  const [sql, setSql] = useState(query);
  const [graph, setGraph] = useState('query Open {\n  tasks(first: 10) { id title }\n}');
  const [json, setJson] = useState('{ "name": "Ada", "age": 36, "tags": [true, null] }');
  const [bad, setBad] = useState(wrong);
  const [reveal, setReveal] = useState<{ readonly at: number }>();
  return (
    <>
      <Samples title="SQL, with Ctrl+Enter to run it">
        <div className="wide-sample">
          <Editor
            label="SQL"
            language="sql"
            value={sql}
            onChange={setSql}
            tables={tables}
            reveal={reveal}
            onRun={(selected) => announce(selected === '' ? 'All of it was run.' : `Run: ${selected}`)}
          />
        </div>
        <Button small onPress={() => setReveal({ at: sql.indexOf('42') })}>
          Go to the number
        </Button>
      </Samples>
      <Samples title="A fault at its place">
        <div className="wide-sample">
          <Editor label="Refused SQL" language="sql" value={bad} onChange={setBad} faults={faults} lines={2} />
        </div>
      </Samples>
      <Samples title="JSON, GraphQL and text">
        <div className="wide-sample">
          <Editor label="JSON" language="json" value={json} onChange={setJson} lines={2} />
        </div>
        <div className="wide-sample">
          <Editor label="GraphQL" language="graphql" value={graph} onChange={setGraph} schema={schema} lines={4} />
        </div>
        <div className="wide-sample">
          <Editor label="Nothing typed" language="text" value="" placeholder="Write some text" lines={2} />
        </div>
        <div className="wide-sample">
          <Editor label="Not to be changed" language="json" value={'{ "read": "only" }'} isReadOnly lines={2} />
        </div>
      </Samples>
    </>
  );
}
