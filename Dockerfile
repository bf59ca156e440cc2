# Two stages: the first has the registry and the compiler, the second only Node, the bundle and the playbooks.
FROM node:26-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
COPY playbooks ./playbooks
RUN npm run build

FROM node:26-slim
LABEL org.opencontainers.image.title="oombot" org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY playbooks ./playbooks
COPY --from=build /src/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
ENV DATABASE_URL=sqlite:/data/oombot.db
VOLUME /data
EXPOSE 3000
# A service that mostly waits needs no large nursery: V8 would keep tens of MiB of it from the start on.
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/bin/oom.mjs"]
CMD ["serve"]
