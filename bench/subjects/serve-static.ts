/** Files of a folder by `serve-static` behind bare `node:http`, as it is set up by everybody. */
import { createServer } from 'node:http';
import serveStatic from 'serve-static';
import { listen } from './listen.ts';

const serve = serveStatic(process.env.FOLDER!);

listen(
  createServer((request, response) => {
    serve(request, response, () => {
      response.writeHead(404).end();
    });
  }),
);
