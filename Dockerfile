# mcsteady as a container beside an application. Two stages: the second has only what it runs with.
#
#   docker build -t mcsteady .
#   docker run --network host mcsteady                     # 127.0.0.1:11211 -> 127.0.0.1:11212
#   docker run --network host -v ./my.yaml:/etc/mcsteady/mcsteady.yaml:ro mcsteady
ARG BASE=debian:12-slim

FROM ${BASE} AS build
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      g++ cmake ninja-build pkg-config libevent-dev libc-ares-dev libspdlog-dev libcli11-dev \
      libyaml-cpp-dev libcrypt-dev libxxhash-dev libssl-dev && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY CMakeLists.txt ./
COPY include include
COPY src src
RUN cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DMCSTEADY_TESTS=OFF \
      -DMCSTEADY_BENCH=OFF && \
    cmake --build build --target mcsteady && \
    strip build/mcsteady

FROM ${BASE}
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libevent-core-2.1-7 libc-ares2 libspdlog1.10 libfmt9 libyaml-cpp0.7 libcrypt1 libssl3 \
      ca-certificates && \
    rm -rf /var/lib/apt/lists/* && \
    groupadd --system --gid 11211 mcsteady && \
    useradd --system --uid 11211 --gid mcsteady --no-create-home --shell /usr/sbin/nologin mcsteady
COPY --from=build /source/build/mcsteady /usr/bin/mcsteady
# Mount your own over it.
COPY config/mcsteady.minimal.yaml /etc/mcsteady/mcsteady.yaml
USER mcsteady
EXPOSE 11211
ENTRYPOINT ["/usr/bin/mcsteady"]
CMD ["--config", "/etc/mcsteady/mcsteady.yaml"]
