/** What GraphiQL asks its fetcher to run. */
interface FetcherParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: unknown;
}

interface FetcherOptions {
  /** Of the headers editor. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Observer {
  readonly next: (result: unknown) => void;
  readonly error: (error: unknown) => void;
  readonly complete: () => void;
}

/**
 * GraphiQL as one page that asks no other host for anything. Its parts come from Yoga's package; the fetcher is ours,
 * since Yoga's leaves the headers editor out of `connectionParams`, and a subscription would have no credential.
 */
export async function graphiqlPage({ endpoint, query }: { endpoint: string; query: string }): Promise<string> {
  // Some nine megabytes, which only a browser is worth.
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const { css, js, favicon, editorWorkerService, jsonWorker, graphqlWorker } = parts;
  const workers = { editorWorkerService, json: jsonWorker, graphql: graphqlWorker };
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>GraphiQL</title>
    <link rel="icon" href="${favicon}" />
    <style>${css}</style>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
    <script>
      const workers = ${JSON.stringify(workers)};
      for (const [name, source] of Object.entries(workers))
        workers[name] = URL.createObjectURL(new Blob([source], { type: 'application/javascript' }));
      self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
    </script>
    <script>${js}</script>
    <script>
      ${createFetcher}
      YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
        title: 'GraphiQL',
        defaultQuery: ${JSON.stringify(query)},
        fetcher: createFetcher(new URL(${JSON.stringify(endpoint)}, location.href).href),
      });
    </script>
  </body>
</html>
`;
}

/**
 * Queries and mutations over HTTP, subscriptions over graphql-transport-ws, both with the headers of the editor. It runs
 * in the browser, where it is sent as its own source: it may use nothing from around it.
 */
function createFetcher(endpoint: string) {
  // GraphiQL's own idea of the document lags behind the keyboard, so the text is asked: without strings, comments and
  // whatever is in braces, only the heads of its operations are left.
  const kindOf = ({ query, operationName }: FetcherParams) => {
    let heads = query.replace(/"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#.*/g, '');
    for (let before = ''; before !== heads; ) {
      before = heads;
      heads = heads.replace(/\{[^{}]*\}/g, ' ');
    }
    const operations = [...heads.matchAll(/(?<![$@\w])(query|mutation|subscription)\b\s*(\w*)/g)];
    return (operations.find(([, , name]) => name === operationName) ?? operations[0])?.[1] ?? 'query';
  };
  return async (params: FetcherParams, { headers = {} }: FetcherOptions = {}) => {
    if (kindOf(params) !== 'subscription') {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: JSON.stringify(params),
      });
      return response.json();
    }
    return {
      subscribe(observer: Observer) {
        const socket = new WebSocket(endpoint.replace(/^http/, 'ws'), 'graphql-transport-ws');
        const say = (message: object) => socket.send(JSON.stringify(message));
        let over = false;
        const end = (tell: () => void) => {
          if (over) return;
          over = true;
          tell();
          socket.close(1000);
        };
        const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        socket.onopen = () => say({ type: 'connection_init', payload: Object.fromEntries(named) });
        socket.onmessage = ({ data }) => {
          const { type, payload } = JSON.parse(data);
          if (type === 'connection_ack') say({ type: 'subscribe', id: '1', payload: params });
          if (type === 'ping') say({ type: 'pong' });
          if (type === 'next') observer.next(payload);
          if (type === 'error') end(() => observer.error(payload));
          if (type === 'complete') end(observer.complete);
        };
        socket.onclose = ({ code, reason }) =>
          end(() => observer.error({ message: `The server closed the socket: ${code} ${reason}` }));
        return { unsubscribe: () => end(() => undefined) };
      },
    };
  };
}
