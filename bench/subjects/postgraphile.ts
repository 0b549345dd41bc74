/** A peer: PostGraphile 5, on the views of schema `bench` (see seed.ts), which say what the gateway's tables mean. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { listen } from './listen.ts';

const preset: GraphileConfig.Preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({ connectionString: process.env.DATABASE_URL!, schemas: ['bench'], poolConfig: { max: 20 } }),
  ],
  grafserv: { graphiql: false, watch: false, graphqlPath: '/graphql' },
};

const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
listen(server);
